/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "page/page.h"

#include "base/text_append.h"
#include "page/markup.h"

/* Three bytes are four characters. */
void page_base64(struct file_out *out, const uint8_t *p, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const uint32_t group =
            (uint32_t)p[i] << 16 | (uint32_t)(i + 1 < n ? p[i + 1] : 0) << 8 | (i + 2 < n ? p[i + 2] : 0);
        const char text[4] = {digits[group >> 18], digits[group >> 12 & 63],
                              i + 1 < n ? digits[group >> 6 & 63] : '=',
                              i + 2 < n ? digits[group & 63] : '='};
        (void)file_out_write(out, text, sizeof text);
    }
}

static void digest(struct file_out *out, const struct page_asset *asset)
{
    text_append(out, " 'sha256-");
    page_base64(out, asset->digest, ASSET_DIGEST_BYTES);
    text_append(out, "'");
}

/* Nothing is loaded, and no style and no script runs but those with these digests. */
static void policy(struct file_out *out, const struct page_kind *kind)
{
    text_append(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src");
    digest(out, &page_style);
    for (size_t i = 0; i < PAGE_ASSETS && kind->styles[i]; i++)
        digest(out, kind->styles[i]);
    text_append(out, "; script-src");
    digest(out, &page_script);
    for (size_t i = 0; i < PAGE_ASSETS && kind->scripts[i]; i++)
        digest(out, kind->scripts[i]);
    text_append(out, "; base-uri 'none'; form-action 'none'\">\n");
}

static void element(struct file_out *out, const char *name, const struct page_asset *asset)
{
    text_append(out, "<");
    text_append(out, name);
    text_append(out, ">");
    (void)file_out_write(out, asset->bytes, asset->n);
    text_append(out, "</");
    text_append(out, name);
    text_append(out, ">\n");
}

void page_begin(struct file_out *out, const struct page_kind *kind, struct apf_str title)
{
    text_append(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    policy(out, kind);
    text_append(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    markup_text(out, title);
    text_append(out, "</title>\n");
    element(out, "style", &page_style);
    for (size_t i = 0; i < PAGE_ASSETS && kind->styles[i]; i++)
        element(out, "style", kind->styles[i]);
    text_append(out, "</head>\n<body>\n");
}

void page_end(struct file_out *out, const struct page_kind *kind)
{
    text_append(out, "<footer class=\"soft\"><p>Made by anyprof ");
    text_append(out, apf_version());
    if (kind->credit)
        text_append(out, kind->credit);
    text_append(out, "</p></footer>\n");
    element(out, "script", &page_script);
    for (size_t i = 0; i < PAGE_ASSETS && kind->scripts[i]; i++)
        element(out, "script", kind->scripts[i]);
    text_append(out, "</body>\n</html>\n");
}
