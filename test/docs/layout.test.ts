import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listPackageNames, readText, root } from '../support/repository.ts';

const [, layout = ''] = /^## Layout\n([\s\S]*?)^## /m.exec(readText('docs/architecture.md')) ?? [];

/** What stands together: a list of the folders of a package, or a paragraph about them. */
const blocks = layout.split(/\n{2,}/);

const folders = listPackageNames().flatMap((name) =>
  readdirSync(join(root, 'packages', name, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => [name, entry.name] as const),
);

it('is a page of at most 300 lines', () => {
  expect(readText('docs/architecture.md').split('\n').length - 1).toBeLessThanOrEqual(300);
});

describe('the layout in docs/architecture.md', () => {
  it.each(folders)('of %s names the folder %s/', (name, folder) => {
    const block = blocks.find((text) => text.includes(`packages/${name}/src`));

    expect(block).toContain(`${folder}/`);
  });
});
