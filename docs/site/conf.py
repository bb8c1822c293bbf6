# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings of Sphinx for the site; build.py stages the pages and runs it."""
import os
import re

import pygments.lexers
import pygments.util

project = "anyprof"
author = "the anyprof project"
copyright = author  # noqa: A001
version = release = os.environ["ANYPROF_SITE_VERSION"]

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
# Anchors of headings as GitHub makes them.
myst_heading_anchors = 4
# The pages are Markdown for GitHub: neither dashes nor quotation marks change.
smartquotes = False
# A page may begin with a comment, and grammars are not exactly those of the lexer's dialect.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

html_theme = "furo"
# Debian's furo has these colours for readers who choose the dark theme, but not for those whose system is dark.
html_theme_options = {
    "dark_css_variables": {
        "color-problematic": "#ee5151",
        "color-foreground-primary": "#ffffffcc",
        "color-foreground-secondary": "#9ca0a5",
        "color-foreground-muted": "#81868d",
        "color-foreground-border": "#666666",
        "color-background-primary": "#131416",
        "color-background-secondary": "#1a1c1e",
        "color-background-hover": "#1e2124ff",
        "color-background-hover--transparent": "#1e212400",
        "color-background-border": "#303335",
        "color-background-item": "#444",
        "color-brand-primary": "#2b8cee",
        "color-brand-content": "#368ce2",
        "color-highlighted-background": "#083563",
        "color-highlight-on-target": "#333300",
        "color-admonition-background": "#18181a",
        "color-card-border": "#1a1c1e",
        "color-card-background": "#18181a",
        "color-card-marginals-background": "#1e2124ff",
    },
}
html_favicon = os.path.join(os.environ["ANYPROF_SITE_STATIC"], "icon.svg")
html_title = f"anyprof {release}"
html_static_path = [os.environ["ANYPROF_SITE_STATIC"]]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_use_index = False
html_show_search_summary = False  # it is read from the pages, which browsers refuse to a page that is opened from disk
html_last_updated_fmt = None  # the same pages give the same site
html_permalinks_icon = "#"
pygments_style = "tango"
pygments_dark_style = "monokai"


def known_language(match):
    """The fence of a block of code, without a language that has no highlighting here (hex, proftext, ...)."""
    try:
        pygments.lexers.get_lexer_by_name(match[2])
    except pygments.util.ClassNotFound:
        return match[1] + "none"
    return match[0]


def read_source(_, __, source):
    source[0] = re.sub(r"^(\s*`{3,})(\w+)(?= |$)", known_language, source[0], flags=re.M)


def setup(app):
    app.connect("source-read", read_source)
