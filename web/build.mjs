// Builds the package, the gallery and the documents into a folder of static files.
//   node build.mjs --planner PLANNER.wasm --out FOLDER
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { build } from 'esbuild';

import { buildDocuments } from './docs.mjs';

const { values } = parseArgs({
  options: { planner: { type: 'string' }, out: { type: 'string' } },
});
if (!values.planner || !values.out) {
  console.error('usage: node build.mjs --planner PLANNER.wasm --out FOLDER');
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const { planner, out } = values;

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'cumulo'), { recursive: true });
copyFileSync(planner, join(out, 'cumulo/planner.wasm'));

const common = { bundle: true, format: 'esm', target: 'es2022', minify: true, sourcemap: true };
await build({
  ...common,
  entryPoints: [join(here, 'src/cumulo.ts')],
  outfile: join(out, 'cumulo/cumulo.js'),
});
const tsc = join(here, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.types.json'), '--outDir', join(out, 'cumulo')], {
  stdio: 'inherit',
});
// So that a program may install the folder as it is.
const { name, version, description, license, devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const published = {
  name,
  version,
  description,
  license,
  type: 'module',
  main: 'cumulo.js',
  types: 'cumulo.d.ts',
  exports: {
    '.': { types: './cumulo.d.ts', default: './cumulo.js' },
    './planner.wasm': './planner.wasm',
    './package.json': './package.json',
  },
  // The declarations name its types; programs in JavaScript do without.
  peerDependencies: { '@webgpu/types': `>=${devDependencies['@webgpu/types']}` },
  peerDependenciesMeta: { '@webgpu/types': { optional: true } },
};
writeFileSync(join(out, 'cumulo/package.json'), `${JSON.stringify(published, null, 2)}\n`);
await build({
  ...common,
  entryPoints: { gallery: join(here, 'gallery/main.ts') },
  outdir: out,
  loader: { '.wgsl': 'text' },
});
copyFileSync(join(here, 'gallery/index.html'), join(out, 'index.html'));
cpSync(join(here, 'check'), join(out, 'check'), { recursive: true });
for (const name of ['checks', 'oracle', 'primitives', 'recording', 'tracing']) {
  copyFileSync(join(here, `../tests/web/page/${name}.js`), join(out, `check/${name}.js`));
}
buildDocuments(join(here, '..'), out);
