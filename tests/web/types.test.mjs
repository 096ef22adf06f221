// The package, the gallery and what types.ts expects of the declarations.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { check } from './harness.mjs';

const web = fileURLToPath(new URL('../../web/', import.meta.url));

export default {
  'types.ts': async () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [`${web}node_modules/typescript/bin/tsc`, '--noEmit', '-p', web],
      { encoding: 'utf8' },
    );
    check(status === 0, `${stdout}${stderr}`);
  },
};
