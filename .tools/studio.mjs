/** `npm run studio`: draws docs/studio.html anew, the policy studio as one file; `npm run studio -- path` writes it elsewhere. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleStudio } from './page.mjs';
import { root } from './workspace.mjs';

const [path = join(root, 'docs', 'studio.html')] = process.argv.slice(2);
writeFileSync(path, bundleStudio());
console.log(path);
