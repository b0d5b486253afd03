import { format } from 'node:util';
import { expect } from 'vitest';

const METHODS = ['debug', 'error', 'info', 'log', 'table', 'trace', 'warn'] as const;

/**
 * Hears what `console` writes, and process warnings; they are printed as before. A test that replaces one of them, or that gives a
 * listener to what it tests, lets nothing out.
 *
 * @returns a function that returns what was heard since its last call, with the test that ran and the stack of the code that wrote
 */
export function watchOutput(): () => Error[] {
  let heard: Error[] = [];
  const hear = (text: string, stack = ''): void => {
    const error = new Error(`${expect.getState().currentTestName ?? 'no test'}: it let out ${text}`);
    const [frames = ''] = /\n +at .*/s.exec(stack) ?? [];
    heard.push(Object.assign(error, { stack: `${error.name}: ${error.message}${frames}` }));
  };
  for (const method of METHODS) {
    const print = console[method];
    console[method] = (...values: unknown[]): void => {
      hear(`console.${method}: ${format(...values)}`, new Error('where').stack);
      Reflect.apply(print, console, values);
    };
  }
  process.on('warning', (warning) => hear(String(warning), warning.stack));
  return () => {
    const taken = heard;
    heard = [];
    return taken;
  };
}
