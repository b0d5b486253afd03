import { describe, expect, it } from 'vitest';
import { listPackageNames, listTypeScript, readText } from '../support/repository.ts';
import { findCircles } from './rules/circles.ts';

describe('imports', () => {
  it.each(listPackageNames())('of %s make no circle, of types neither', (name) => {
    const sources = listTypeScript(`packages/${name}/src`).map((path) => ({ path, text: readText(path) }));

    expect(findCircles(sources)).toEqual([]);
  });
});
