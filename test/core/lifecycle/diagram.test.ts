import { readFileSync } from 'node:fs';
import { lifecycleDiagram, RUN_STATES } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';
import { page, withDiagram } from '../../../docs/lifecycle-diagram.ts';
import { EXPECTED_ARROWS } from './expected-arrows.ts';

const text = readFileSync(page, 'utf8');

describe('lifecycleDiagram', () => {
  it('is the diagram that docs/lifecycle.md shows', () => {
    expect(text, 'Refresh it with: npx tsx docs/lifecycle-diagram.ts').toBe(withDiagram(text));
    expect(text).toContain(`\`\`\`mermaid\n${lifecycleDiagram()}\`\`\``);
  });

  it('draws every arrow once, the way in and the ways out', () => {
    const arrows = EXPECTED_ARROWS.map(([from, event, to]) => `  ${from} --> ${to} : ${event}`);
    const ends = ['completed', 'failed', 'cancelled', 'stalled', 'dropped', 'rateLimited'];

    const lines = lifecycleDiagram().trimEnd().split('\n');

    expect(lines[0]).toBe('stateDiagram-v2');
    expect(lines.slice(1).sort()).toEqual(
      ['  [*] --> unsubmitted', ...arrows, ...ends.map((end) => `  ${end} --> [*]`)].sort(),
    );
  });
});

describe('docs/lifecycle.md', () => {
  it('explains every state and every event', () => {
    const explained = [...text.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);

    expect(explained).toEqual(expect.arrayContaining([...RUN_STATES]));
    expect(explained).toEqual(expect.arrayContaining(EXPECTED_ARROWS.map(([, event]) => event)));
  });
});

describe('withDiagram', () => {
  it('replaces an outdated diagram of a page', () => {
    const stale = text.replace(/ {2}started --> completed : complete\n/, '');

    expect(stale).not.toBe(text);
    expect(withDiagram(stale)).toBe(text);
  });

  it('refuses a page without markers', () => {
    expect(() => withDiagram('# The lifecycle')).toThrow('docs/lifecycle.md has to hold <!-- generated');
  });
});
