import { describe, expect, it } from 'vitest';
import { listPackageNames, listTypeScript, readText } from '../support/repository.ts';
import { findForbiddenImports } from './rules/imports.ts';

describe('imports', () => {
  it.each(listPackageNames())('of %s are allowed by its line in the table of packages', (name) => {
    const paths = listTypeScript(`packages/${name}/src`);

    const found = paths.flatMap((path) => findForbiddenImports({ path, text: readText(path) }));

    expect(paths).not.toEqual([]);
    expect(found).toEqual([]);
  });
});

describe('findForbiddenImports', () => {
  it.each([
    ['core', "import { readFileSync } from 'node:fs';"],
    ['core', "import type { Readable } from 'stream';"],
    ['core', "import { withRetry } from '@retry/inprocess';"],
    ['core', "export { z } from 'zod';"],
    ['core', "const fs = await import('node:fs');"],
    ['core', 'const chosen = await import(name);'],
    ['core', "const fs = require('fs');"],
    ['core', "import fs = require('fs');"],
    ['core', "type Buffer = import('node:buffer').Buffer;"],
    ['inprocess', "import { createWorker } from '@retry/worker';"],
    ['worker', "import { createRedisBroker } from '@retry/redis-queue';"],
    ['board', "import { createRedisBroker } from '@retry/redis-queue';"],
    ['redis-queue', "import { createPostgresBroker } from '@retry/postgres';"],
    ['postgres', "import { retry } from '@retry/inprocess';"],
    ['inprocess', "import { decide } from '@retry/core-plus';"],
    ['inprocess', "import { decide } from '../../core/src/index.ts';"],
    ['core', "import { decide } from './decide';"],
    ['core', "import { decide } from './decide.js';"],
  ])('reports %s for %s', (name, text) => {
    const found = findForbiddenImports({ path: `packages/${name}/src/example.ts`, text });

    expect(found).toHaveLength(1);
  });

  it.each([
    ['core', "import { parse } from './policy/parse.ts';"],
    ['core', "// import 'node:fs'\nconst text = \"import 'node:fs'\";"],
    ['inprocess', "import { decide } from '@retry/core';"],
    ['inprocess', "import { fromCelery } from '@retry/core/dialects';"],
    ['inprocess', "import { setTimeout } from 'node:timers';"],
    ['redis-queue', "import type { createClient } from 'redis';"],
  ])('accepts in %s: %s', (name, text) => {
    const found = findForbiddenImports({ path: `packages/${name}/src/example.ts`, text });

    expect(found).toEqual([]);
  });

  it('names the file, the line and the import', () => {
    const text = "\nimport { readFileSync } from 'node:fs';\n";

    const found = findForbiddenImports({ path: 'packages/core/src/delay.ts', text });

    expect(found).toEqual(['packages/core/src/delay.ts:2 core may not import node:fs']);
  });
});
