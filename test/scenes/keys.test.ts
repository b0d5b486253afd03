import { createRequire } from 'node:module';
import type { PolicyInput } from '@retry/core';
import { describe, expect, it } from 'vitest';
import { inProcess } from './arenas.ts';
import { SCENES } from './scenes.ts';

const schema = createRequire(import.meta.url)('@retry/core/policy.schema.json');

/** The keys of a policy, from the document that another test holds to `definePolicy`; an editor alone reads `$schema`. */
const KEYS = Object.keys(schema.properties).filter(
  (key) => key !== '$schema',
) as readonly (keyof PolicyInput)[]; // as that test says

describe('the scenes', () => {
  it.each(KEYS)('have one in which %s decides: without it the scene ends otherwise', async (key) => {
    const written = SCENES.filter(({ policy }) => policy[key] !== undefined);
    const without = written.map(({ policy: { [key]: _, ...policy }, ...scene }) => ({ ...scene, policy }));

    const played = await Promise.all(without.map((scene) => inProcess.play(scene)));

    const same = await Promise.all(written.map((scene) => inProcess.play(scene)));
    expect(JSON.stringify(played)).not.toBe(JSON.stringify(same));
  });
});
