"""What a crawl of a folder of files must find, by code that shares nothing with the crawl: `truth.py FOLDER ORIGIN`."""

import json
import os
import posixpath
import re
import sys
from html.parser import HTMLParser
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

root, origin = os.path.abspath(sys.argv[1]), sys.argv[2]


def served(path):
    """The file behind a path as a static host has it: the path itself, its index, or where it redirects to."""
    name = os.path.normpath(os.path.join(root, unquote(path).lstrip("/")))
    if not name.startswith(root):
        return None, None
    if os.path.isdir(name):
        if not path.endswith("/"):
            return None, path + "/"
        name = os.path.join(name, "index.html")
    elif path.endswith("/"):
        return None, None
    if os.path.isfile(name):
        return name, None
    return (name + ".html", None) if os.path.isfile(name + ".html") else (None, None)


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.title, self.description, self.canonical, self.base = None, None, False, None
        self.links, self.in_title, self.foreign, self.robots = [], False, 0, ""

    def handle_starttag(self, tag, pairs):
        at = {name: value or "" for name, value in reversed(pairs)}
        if tag in ("svg", "math"):
            self.foreign += 1
        if tag == "title" and not self.foreign and self.title is None:
            self.title, self.in_title = "", True
        if tag == "meta" and at.get("name", "").lower() == "description":
            self.description = self.description or at.get("content", "").strip()
        if tag == "meta" and at.get("name", "").lower() == "robots":
            self.robots += at.get("content", "").lower()
        if tag == "link" and "canonical" in at.get("rel", "").lower().split():
            self.canonical = True
        if tag == "base" and self.base is None and "href" in at:
            self.base = at["href"]
        if tag in ("a", "area") and "href" in at:
            self.links.append(at["href"])
        if tag in ("iframe", "frame") and at.get("src"):
            self.links.append(at["src"])

    def handle_endtag(self, tag):
        if tag in ("svg", "math"):
            self.foreign -= 1
        if tag == "title":
            self.in_title = False

    def handle_data(self, text):
        if self.in_title:
            self.title += text


def escaped(text):
    """Percent-escapes in upper case, and of what a URL may not hold."""
    upper = re.sub(r"%[0-9a-fA-F]{2}", lambda each: each.group().upper(), text)
    return quote(upper, safe="%/:@!$&'()*+,;=-._~[]|?")


def target(base, link):
    """The address that a link leads to on this site; None for other sites and other schemes."""
    try:
        url = urlsplit(urljoin(base, link.strip(" \t\n\r\f")))
    except ValueError:
        return None
    if f"{url.scheme}://{url.netloc}" != origin:
        return None
    path = escaped(url.path or "/")
    return urlunsplit((url.scheme, url.netloc, path, escaped(url.query), ""))


def read(name):
    page = Page()
    with open(name, "rb") as file:
        page.feed(file.read().decode("utf-8", "replace"))
    page.close()
    return page


pages, dead, met, todo = {}, set(), set(), [origin + "/"]
while todo:
    url = todo.pop()
    if url in met:
        continue
    met.add(url)
    file, moved = served(urlsplit(url).path)
    if moved is not None:
        todo.append(origin + moved)
    if file is None or posixpath.splitext(file)[1] not in (".html", ".htm"):
        continue
    page = read(file)
    base = urljoin(url, page.base) if page.base else url
    found = {each for each in (target(base, link) for link in page.links) if each is not None}
    title = " ".join((page.title or "").split())
    pages[url] = {
        "title": title,
        "description": bool(page.description),
        "canonical": page.canonical,
        "noindex": "noindex" in page.robots,
    }
    for each in found:
        name, moved = served(urlsplit(each).path)
        if name is None and moved is not None:
            name, _ = served(moved)
        if name is None:
            dead.add((each, url))
        todo.append(each)

json.dump({"pages": pages, "met": sorted(met), "dead": sorted(dead)}, sys.stdout)
