import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listPages } from '../support/pages.ts';
import { readText, root } from '../support/repository.ts';

describe('the documentation', () => {
  it.each(listPages())('links only to what exists: %s', (page) => {
    const links = [...readText(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) => link);

    expect(links.filter((link) => !existsSync(join(root, page, '..', link)))).toEqual([]);
  });

  it.each(listPages())('links only to headings that exist: %s', (page) => {
    const links = [...readText(page).matchAll(/\]\(((?!https?:)[^)#\s]*)#([^)\s]+)\)/g)];

    const broken = links.filter(([, file = '', anchor = '']) => {
      const target = file === '' ? page : join(page, '..', file);
      return !anchorsOf(readText(target)).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
