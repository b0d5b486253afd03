/** `npm run systems`: writes the part of docs/dialects.md about every system anew, and prints how near each policy is. */
import { readFileSync, writeFileSync } from 'node:fs';
import { listVerdicts, withSystems } from './systems-tables.ts';

const page = new URL('dialects.md', import.meta.url);
writeFileSync(page, withSystems(readFileSync(page, 'utf8')));
console.log(listVerdicts());
