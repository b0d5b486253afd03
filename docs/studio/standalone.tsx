/** The studio as one file: `docs/studio.html`. Its engine is in the page as text, because a file may load no other one. */
import { render } from 'preact';
import { createHashLink } from './hash-link.ts';
import { Studio } from './studio.tsx';

const engine = document.getElementById('engine')?.textContent ?? '';
const engineUrl = URL.createObjectURL(new Blob([engine], { type: 'text/javascript' }));
const createWorker = (): Worker => new Worker(engineUrl);
const root = document.getElementById('studio');
if (root !== null) render(<Studio createWorker={createWorker} link={createHashLink()} />, root);
