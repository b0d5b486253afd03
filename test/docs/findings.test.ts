import { parseDuration } from '@retry/core';
import { readOptions } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../packages/worker/src/queue/health/findings.ts';
import { HEALTH_KEYS, readHealthOptions } from '../../packages/worker/src/queue/health/health-options.ts';
import { readText } from '../support/repository.ts';

const page = readText('docs/health.md');
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);

describe('docs/health.md', () => {
  it('has every finding, in their order', () => {
    expect(rows).toEqual(CHECKS);
  });

  it('has the default of every threshold', () => {
    const { audit: _, ...defaults } = readOptions(
      undefined,
      { subject: 'health', keys: HEALTH_KEYS },
      readHealthOptions,
    );
    const written = [...page.matchAll(/`(\w+): ('?)([\w.]+)\2`/g)].map(([, key = '', quote, text = '']) => [
      key,
      quote === '' ? Number(text) : parseDuration(text),
    ]);

    const shown = Object.fromEntries(written.filter(([key]) => key !== 'audit' && key !== 'isComplete'));
    expect(shown).toEqual(defaults);
  });
});
