import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error -- a tool without types
import { listThreadCode } from '../../.tools/thread-code.mjs';

interface ThreadCode {
  readonly path: string;
  readonly text: string;
}

it.each(listThreadCode() as readonly ThreadCode[])('$path is as `npm run thread-code` writes it', (code) => {
  expect(readFileSync(code.path, 'utf8') === code.text, 'Run npm run thread-code.').toBe(true);
});
