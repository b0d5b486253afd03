/** Redraws the pictures of docs/policies.md and docs/which-policy.md: `npm run pictures`. */
import { writeFileSync } from 'node:fs';
import { drawPictures } from './pictures.ts';

for (const [name, svg] of drawPictures()) {
  writeFileSync(new URL(name, import.meta.url), svg);
  console.log(`docs/pictures/${name}`);
}
