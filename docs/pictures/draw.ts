/**
 * Redraws the pictures of docs/policies.md, docs/which-policy.md, docs/storms.md, docs/opentelemetry.md and docs/benchmarks.md, and
 * writes the rows of the last: `npm run pictures`; those of docs/board.md, which need a Chromium: `npm run pictures -- board`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { withHeadlines } from '../headlines.ts';
import { drawPictures } from './pictures.ts';

if (process.argv.includes('board')) {
  const { drawBoard } = await import('./board.ts');
  for (const name of await drawBoard()) console.log(`docs/pictures/${name}`);
} else {
  for (const [name, svg] of drawPictures()) {
    writeFileSync(new URL(name, import.meta.url), svg);
    console.log(`docs/pictures/${name}`);
  }
  const [page, all] = ['../benchmarks.md', '../benchmarks-all.md'].map(
    (name) => new URL(name, import.meta.url),
  );
  if (page && all) writeFileSync(page, withHeadlines(readFileSync(page, 'utf8'), readFileSync(all, 'utf8')));
}
