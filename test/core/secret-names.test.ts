import { InvalidOptionsError } from '@retry/core';
import { hideSecrets, hideSecretsInError, hideSecretsInValue } from '@retry/core/broker/kit';
import { describe, expect, it } from 'vitest';
import { createMask } from '../../packages/board/src/show/mask.ts';
import { processorMs } from '../support/processor-time.ts';

const mask = createMask(undefined, { report: () => {} });

/** Everything that shows the value of a name: as an option, inside an option, in an error, on the board. */
function shownOf(name: string, value: unknown): readonly string[] {
  const problem = { message: 'is wrong', cure: 'Correct it.' };
  const option = new InvalidOptionsError([{ ...problem, path: `driver.${name}`, value }]);
  const inside = new InvalidOptionsError([{ ...problem, path: 'driver', value: { [name]: value } }]);
  const error = Object.assign(new Error('refused'), { [name]: value });
  const payload = { kind: 'payload', task: 'mail', version: '1', value: { [name]: value } } as const;
  return [
    ...[option, inside].flatMap(({ message, problems }) => [message, JSON.stringify(problems)]),
    JSON.stringify(hideSecretsInValue({ [name]: value })),
    JSON.stringify(Object.entries(hideSecretsInError(error, []) as Error)),
    JSON.stringify(mask(payload)),
  ];
}

/** Everything that shows a text with a field of this name. */
function shownTexts(name: string): readonly string[] {
  return [`${name}=4711`, `${name}Value="4711"`, `"${name}": "4711"`, `${name}: 4711, retried`].flatMap(
    (text) => [...shownOf('text', text), hideSecrets(text)],
  );
}

describe('what must not be shown', () => {
  it.each<[string, unknown]>([
    ['password', '4711'],
    ['password', 4711],
    ['pass', '4711'],
    ['dbPasswd', '4711'],
    ['passphrase', ['4711']],
    ['PGPWD', '4711'],
    ['clientSecret', '4711'],
    ['secretAccessKey', '4711'],
    ['token', { value: '4711' }],
    ['accessTokens', ['4711']],
    ['credentials', { user: '4711' }],
    ['authorization', 'Bearer 4711'],
    ['Proxy-Authorization', 'Basic 4711'],
    ['set-cookie', ['sid=4711; Path=/']],
    ['apiKey', '4711'],
    ['x-api-key', '4711'],
    ['private_key', '4711'],
  ])('is shown nowhere: %s of %j', (name, value) => {
    for (const shown of shownOf(name, value)) {
      expect(shown).not.toContain('4711');
      expect(shown).toContain('***');
    }
  });

  it.each([
    'password',
    'pass',
    'PWD',
    'client_secret',
    'token',
    'credentials',
    'api-key',
    'privateKey',
    'cookie',
  ])('is shown in no text: %s', (name) => {
    for (const shown of shownTexts(name)) expect(shown).not.toContain('4711');
  });

  it.each([
    'Authorization: Bearer 4711',
    '{"authorization":"Basic 4711"}',
    'authorization=Token 4711',
    'Cookie: theme=dark; sid=4711',
    'set-cookie: sid=a; other=4711, retried',
  ])('is shown with nothing that follows its scheme or its first part: %s', (text) => {
    for (const shown of [...shownOf('text', text), hideSecrets(text)]) expect(shown).not.toContain('4711');
  });

  it.each<[string, unknown]>([
    ['tokens', [4711]],
    ['maxTokens', '4711'],
    ['tokenRatio', 4711],
    ['attempts', 4711],
    ['password-reset.retry.maxAttempts', 4711],
  ])('is none of what is counted, or only lies below such a name: %s of %j', (name, value) => {
    for (const shown of shownOf(name, value)) expect(shown).toContain('4711');
  });

  it('is none of a message that begins with the name of an error', () => {
    expect(hideSecrets('TokenExpiredError: jwt expired')).toBe('TokenExpiredError: jwt expired');
  });

  it.each([undefined, null, true])('is none of what says that there is none: %j', (value) => {
    for (const shown of shownOf('password', value)) expect(shown).not.toContain('***');
  });

  it('is found in the time that a short name takes', () => {
    const before = processorMs();

    for (const shown of shownOf(`${'pass'.repeat(250_000)}.`, '4711')) expect(shown).not.toContain('***');

    expect(processorMs() - before).toBeLessThan(5_000);
  });
});
