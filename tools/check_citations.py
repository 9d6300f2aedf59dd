#!/usr/bin/env python3
"""Every [Author YEAR] in sources and pages is an entry of docs/references.bib, and every entry is cited.

Usage: check_citations.py ROOT. Prints every offence as file:line and exits 1 if there is one. The documentation's
build (mkdocs hooks) turns the same citations into links, and lists the entries where a page says <!-- references -->.
"""
import pathlib
import re
import sys

CITATION = re.compile(r"\[([A-Z][A-Za-z-]+) ((?:19|20)\d\d[a-z]?)\](?!\()")
FOLDERS = ("src", "include", "apps", "tests", "bench", "fuzz", "validation", "docs")
SUFFIXES = {".h", ".cpp", ".py", ".md", ".toml"}


def read_bib(path):
    """{key: (line, {field: text})}, with TeX's braces and accents reduced to plain text."""
    entries, key = {}, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        start = re.match(r"@\w+\{(\w+),", line)
        if start:
            key = start.group(1)
            entries[key] = (number, {})
        for field, text in re.findall(r"(\w+)\s*=\s*\{((?:[^{}]|\{[^{}]*\})*)\}", line):
            plain = text.replace(r"{\ae}", "æ").replace(r"{\`a}", "à").replace("--", "–")
            entries[key][1][field] = re.sub(r"[{}]", "", plain)
    return entries


def cited(root):
    """Yields (path, line number, key) of every citation."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                    for author, year in CITATION.findall(line):
                        yield path, number, author + year


def offences(root):
    bib = root / "docs/references.bib"
    entries = read_bib(bib)
    used = set()
    for path, number, key in cited(root):
        used.add(key)
        if key not in entries:
            yield f"{path}:{number}: {key} is not in {bib}"
    for key, (number, _) in entries.items():
        if key not in used:
            yield f"{bib}:{number}: {key} is cited nowhere"


def entry_line(key, fields):
    where = fields.get("journal") or fields.get("booktitle") or fields.get("note", "")
    issue = " ".join(filter(None, [fields.get("volume"), f"({fields['number']})" if "number" in fields else None]))
    parts = [fields["author"].replace(" and ", "; "), fields["title"], " ".join(filter(None, [where, issue])), fields["year"]]
    link = f" [doi:{fields['doi']}](https://doi.org/{fields['doi']})" if "doi" in fields else ""
    return f'- <a id="{key}"></a>**{key[:-4]} {key[-4:]}**: {". ".join(parts)}.{link}'


def on_page_markdown(markdown, page, config, files):
    """Hook of mkdocs: citations become links; the list goes where the page asks for it."""
    entries = read_bib(pathlib.Path(config["docs_dir"]) / "references.bib")
    up = "../" * page.file.src_path.count("/")
    listing = "\n".join(entry_line(key, fields) for key, (_, fields) in sorted(entries.items()))
    linked = CITATION.sub(lambda m: f"[\\[{m[1]} {m[2]}\\]]({up}references.md#{m[1]}{m[2]})", markdown)
    return linked.replace("<!-- references -->", listing)


def main():
    found = list(offences(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else "citations: every one is in docs/references.bib, and every entry is cited")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
