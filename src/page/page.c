/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "page/page.h"

#include "base/text_append.h"
#include "page/markup.h"
#include "page/page_assets.h"

/* Writes bytes as base64, three of them as four characters. */
static void base64(struct file_out *out, const uint8_t *p, size_t n)
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

/* Nothing is loaded, and no style and no script runs but those with these digests. */
static void policy(struct file_out *out)
{
    text_append(
        out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-");
    base64(out, page_style_digest, ASSET_DIGEST_BYTES);
    text_append(out, "'; script-src 'sha256-");
    base64(out, page_script_digest, ASSET_DIGEST_BYTES);
    text_append(out, "'; base-uri 'none'; form-action 'none'\">\n");
}

void page_begin(struct file_out *out, struct apf_str title)
{
    text_append(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    policy(out);
    text_append(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    markup_text(out, title);
    text_append(out, "</title>\n<style>");
    (void)file_out_write(out, page_style, page_style_size);
    text_append(out, "</style>\n</head>\n<body>\n");
}

void page_end(struct file_out *out)
{
    text_append(out, "<footer class=\"soft\"><p>Made by anyprof ");
    text_append(out, apf_version());
    text_append(out, "</p></footer>\n<script>");
    (void)file_out_write(out, page_script, page_script_size);
    text_append(out, "</script>\n</body>\n</html>\n");
}
