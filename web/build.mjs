// Builds the package and the gallery into a folder of static files.
//   node build.mjs --planner PLANNER.wasm --out FOLDER
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { build } from 'esbuild';

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
await build({
  ...common,
  entryPoints: { gallery: join(here, 'gallery/main.ts') },
  outdir: out,
  loader: { '.wgsl': 'text' },
});
copyFileSync(join(here, 'gallery/index.html'), join(out, 'index.html'));
