import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, root } from '../support/repository.ts';

const [, section = ''] =
  /^## Where to change what\n([\s\S]*?)^## /m.exec(readText('docs/contributing.md')) ?? [];
const paths = [
  ...new Set([...section.matchAll(/`([a-z-]+\/(?:src\/|policy)[\w./-]+)`/g)].map(([, path = '']) => path)),
];

describe('docs/contributing.md', () => {
  it('names the places of many changes', () => {
    expect(paths.length).toBeGreaterThan(15);
  });

  it.each(paths)('names packages/%s, which exists', (path) => {
    expect(existsSync(join(root, 'packages', path))).toBe(true);
  });
});
