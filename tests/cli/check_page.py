"""What a browser would refuse or repair in a page: python check_page.py PAGE

Every element that has to be closed is, in order; ids are there once, and what refers to one
finds it; the policy has the hashes of the style and the script; blocks of JSON are JSON, and
go to a folder, if one is named behind the page."""
import base64
import hashlib
import html.parser
import json
import os
import sys

VOID = {"meta", "link", "br", "input", "img", "hr"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.wanted, self.wrong, self.raw, self.policy = [], set(), set(), [], [], ""

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.wrong.append(f"<{tag}>: an attribute twice")
        for name, value in attributes:
            if name.startswith("on") or name == "style":
                self.wrong.append(f"<{tag}>: {name}")
            if name == "id":
                if value in self.ids:
                    self.wrong.append(f"id {value} twice")
                self.ids.add(value)
            if name in ("aria-labelledby", "aria-describedby"):
                self.wanted.update(value.split())
            if name == "href" and value.startswith("#"):
                self.wanted.add(value[1:])
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attributes:
            self.policy = dict(attributes)["content"]
        if tag in ("style", "script"):
            self.raw.append((tag, dict(attributes), ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> ends something else, line {self.getpos()[0]}")

    def handle_data(self, data):
        if self.open and self.open[-1] in ("style", "script"):
            tag, attributes, before = self.raw[-1]
            self.raw[-1] = (tag, attributes, before + data)


def check(path, folder=None):
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    page = Page()
    page.feed(text)
    page.close()
    wrong = page.wrong + [f"{tag} is never closed" for tag in page.open]
    wrong += [f"nothing has the id {name}" for name in page.wanted - page.ids]
    for tag, attributes, body in page.raw:
        if attributes.get("type") == "application/json":
            value = json.loads(body)
            if "<" in body or "&" in body:
                wrong.append("JSON with markup")
            if folder:
                with open(os.path.join(folder, attributes["id"] + ".json"), "w", encoding="utf-8") as f:
                    json.dump(value, f)
        else:
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            if f"{tag}-src 'sha256-{digest}'" not in page.policy:
                wrong.append(f"the policy has another hash than <{tag}>")
    return wrong


if __name__ == "__main__":
    found = check(*sys.argv[1:])
    print("\n".join(found))
    sys.exit(1 if found else 0)
