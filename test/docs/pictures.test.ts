import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withHeadlines } from '../../docs/headlines.ts';
import { drawPictures } from '../../docs/pictures/pictures.ts';
import { readText } from '../support/repository.ts';

const pictures = drawPictures();

describe('drawPictures', () => {
  it.each([...pictures])('draws %s as it is in the documentation', (name, svg) => {
    expect(readFileSync(new URL(`../../docs/pictures/${name}`, import.meta.url), 'utf8')).toBe(svg);
  });

  it('draws every picture that the documentation shows, and no other', () => {
    const pages = ['policies', 'which-policy', 'storms', 'opentelemetry', 'benchmarks'].map((page) =>
      readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8'),
    );
    const shown = [...pages.join('\n').matchAll(/\(pictures\/([\w-]+\.svg)\)/g)].map(([, name]) => name);

    expect(new Set(shown)).toEqual(new Set(pictures.keys()));
  });
});

it('docs/benchmarks.md has the rows of docs/benchmarks-all.md as `npm run pictures` writes them', () => {
  const page = readText('docs/benchmarks.md');

  expect(withHeadlines(page, readText('docs/benchmarks-all.md'))).toBe(page);
});
