import { readFileSync, writeFileSync } from 'node:fs';
import { withSystems } from './systems-tables.ts';

const page = new URL('dialects.md', import.meta.url);
writeFileSync(page, withSystems(readFileSync(page, 'utf8')));
