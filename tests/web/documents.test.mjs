// The JavaScript that README and docs show runs as it stands, and prints what it says.
import { readFileSync } from 'node:fs';

import { check, same } from './harness.mjs';

const root = new URL('../../', import.meta.url);

function blocks(file) {
  return [...readFileSync(new URL(file, root), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
}

// What the comments behind console.log say.
const promised = (code) => [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);

const tests = {};
for (const [file, count] of [['README.md', 1], ['docs/javascript.md', 2]]) {
  tests[`programs of ${file}`] = async ({ page, site }) => {
    const found = blocks(file);
    same(found.length, count, 'programs');
    for (const code of found) {
      check(promised(code).length > 0, 'a program that prints nothing');
      await page.goto(`${site}index.html`);
      const printed = await page.evaluate(
        async ([program, address]) => {
          const lines = [];
          const log = console.log;
          console.log = (...parts) => lines.push(parts.join(' '));
          const module = program.replaceAll("'./cumulo/", `'${address}cumulo/`);
          await import(URL.createObjectURL(new Blob([module], { type: 'text/javascript' })));
          console.log = log;
          return lines;
        },
        [code, site],
      );
      same(printed, promised(code), 'what it prints');
    }
  };
}
export default tests;
