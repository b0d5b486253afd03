/**
 * Redraws the pictures of docs/policies.md, docs/which-policy.md and docs/storms.md: `npm run pictures`; those of docs/board.md, which
 * need a Chromium: `npm run pictures -- board`.
 */
import { writeFileSync } from 'node:fs';
import { drawPictures } from './pictures.ts';

if (process.argv.includes('board')) {
  const { drawBoard } = await import('./board.ts');
  for (const name of await drawBoard()) console.log(`docs/pictures/${name}`);
} else {
  for (const [name, svg] of drawPictures()) {
    writeFileSync(new URL(name, import.meta.url), svg);
    console.log(`docs/pictures/${name}`);
  }
}
