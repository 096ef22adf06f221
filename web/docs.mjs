// The documents of the project as pages: README, ARCHITECTURE and docs/, with what they link to.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, normalize, relative } from 'node:path';

import { Marked } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';

const page = (title, body, links) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="../gallery.css">
  </head>
  <body class="document">
    <a class="skip" href="#content">Skip to the text</a>
    <header>
      <nav aria-label="Site"><ul><li><a href="../index.html">Gallery</a></li><li><a href="index.html">Start</a></li></ul></nav>
    </header>
    <main id="content">
${body}
    </main>
    <footer><nav aria-label="Documents"><ul>${links}</ul></nav></footer>
  </body>
</html>
`;

// The first heading, without Markdown's marks.
const titleOf = (text) => /^# (.*)$/m.exec(text)[1].replaceAll(/[`*]/g, '');

// Builds the pages of the project at `root` into the folder docs of `out`.
export function buildDocuments(root, out) {
  const target = join(out, 'docs');
  mkdirSync(target, { recursive: true });
  const pages = new Map([['README.md', 'index.html'], ['ARCHITECTURE.md', 'architecture.html']]);
  for (const file of readdirSync(join(root, 'docs')).sort()) {
    if (extname(file) === '.md') pages.set(`docs/${file}`, `${basename(file, '.md')}.html`);
  }

  // Where a link of `source` leads in the folder of pages. Files that are no documents are copied
  // beside them.
  const address = (source, link) => {
    if (/^([a-z]+:|#)/.test(link)) return link;
    const [path, fragment] = link.split('#');
    const file = normalize(join(dirname(source), path));
    const hash = fragment ? `#${fragment}` : '';
    if (pages.has(file)) return pages.get(file) + hash;
    if (file === 'web/gallery') return '../index.html';
    if (!statSync(join(root, file)).isFile()) throw new Error(`${source} links to the folder ${file}`);
    const copy = dirname(file) === 'docs' ? basename(file) : file;
    mkdirSync(dirname(join(target, copy)), { recursive: true });
    copyFileSync(join(root, file), join(target, copy));
    return relative('.', copy);
  };

  const texts = new Map([...pages.keys()].map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  for (const [file, name] of pages) {
    const marked = new Marked(gfmHeadingId());
    marked.use({
      walkTokens(token) {
        if (token.type === 'link' || token.type === 'image') token.href = address(file, token.href);
      },
    });
    // Wide tables and programs scroll by themselves, by the keyboard too.
    const body = marked
      .parse(texts.get(file))
      .replaceAll('<table>', '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
      .replaceAll('</table>', '</table></div>')
      .replaceAll('<pre>', '<pre tabindex="0">');
    const links = [...pages]
      .map(([of, to]) => `<li><a href="${to}"${of === file ? ' aria-current="page"' : ''}>${titleOf(texts.get(of))}</a></li>`)
      .join('');
    writeFileSync(join(target, name), page(titleOf(texts.get(file)), body, links));
  }
}
