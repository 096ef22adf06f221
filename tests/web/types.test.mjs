// The package, the gallery and what types.ts expects of the declarations.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { check } from './harness.mjs';

const web = fileURLToPath(new URL('../../web/', import.meta.url));

function compile(...options) {
  const tsc = `${web}node_modules/typescript/bin/tsc`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '--noEmit', ...options], { encoding: 'utf8' });
  check(status === 0, `${stdout}${stderr}`);
}

export default {
  'types.ts': async () => compile('-p', web),
  // In a program that has installed the folder, strictly and by both ways in which modules are found.
  'types.ts with the package': async ({ folder }) => {
    const program = mkdtempSync(join(tmpdir(), 'cumulo-types-'));
    try {
      mkdirSync(join(program, 'node_modules/@webgpu'), { recursive: true });
      cpSync(join(folder, 'cumulo'), join(program, 'node_modules/cumulo'), { recursive: true });
      symlinkSync(`${web}node_modules/@webgpu/types`, join(program, 'node_modules/@webgpu/types'));
      writeFileSync(join(program, 'package.json'), '{"type": "module"}');
      const source = readFileSync(new URL('types.ts', import.meta.url), 'utf8');
      writeFileSync(join(program, 'types.ts'), source.replace("'../../web/src/cumulo.js'", "'cumulo'"));
      for (const [module, resolution] of [['ESNext', 'Bundler'], ['NodeNext', 'NodeNext']]) {
        const { compilerOptions } = JSON.parse(readFileSync(`${web}tsconfig.json`, 'utf8'));
        Object.assign(compilerOptions, { module, moduleResolution: resolution, skipLibCheck: false });
        const project = join(program, `${resolution}.json`);
        writeFileSync(project, JSON.stringify({ compilerOptions, files: ['types.ts'] }));
        compile('-p', project);
      }
    } finally {
      rmSync(program, { recursive: true });
    }
  },
};
