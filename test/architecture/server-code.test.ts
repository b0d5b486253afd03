import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error -- a tool without types
import { listServerCode } from '../../.tools/server-code.mjs';

interface ServerCode {
  readonly path: string;
  readonly text: string;
}

it.each(listServerCode() as readonly ServerCode[])('$path is as `npm run server-code` writes it', (code) => {
  expect(readFileSync(code.path, 'utf8') === code.text, 'Run npm run server-code.').toBe(true);
});
