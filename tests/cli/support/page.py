"""What is in an HTML page: ids, references, pictures, command lines, steps."""
import html.parser
import re

VOID = {'meta', 'link', 'img', 'br', 'hr', 'rect'}


class Page(html.parser.HTMLParser):
    """What is in it: ids, references, pictures, command lines, steps; and whether elements are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.uses, self.pictures, self.commands, self.labels = [], [], [], [], [], []
        self.drawings = self.steps = 0
        self.faults = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if 'id' in attributes:
            self.ids.append(attributes['id'])
        for name, value in attributes.items():
            if name in ('src', 'href', 'xlink:href', 'poster', 'action'):
                self.uses.append(value)
            self.uses += re.findall(r'url\(([^)]*)\)', value or '')
        if tag == 'img':
            self.pictures.append(attributes)
        if tag == 'code':
            self.commands.append('')
        if attributes.get('class') == 'drawing':
            self.labels.append(attributes.get('aria-label'))
        self.drawings += tag == 'svg'
        self.steps += tag == 'section' and attributes.get('id', '').startswith('step')

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        if 'code' in self.open:
            self.commands[-1] += data
