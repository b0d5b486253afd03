import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/defects.md', root), 'utf8');
const rows = [...page.matchAll(/^\| (.+?) \| .+? \| `(test\/[\w./-]+\.test\.ts)` \| (.+) \|$/gm)];

describe('docs/defects.md', () => {
  it('lists many defects', () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.length).toBe(page.split('\n').filter((line) => line.startsWith('| ')).length - 2);
  });

  it.each(rows.map(([, defect, path, title]) => [defect, path, title]))(
    '%s: has its test',
    (_defect, path, title) => {
      const source = readFileSync(new URL(path ?? '', root), 'utf8');

      expect(source).toContain(`'${title}'`);
    },
  );
});
