// @ts-expect-error -- a tool without types
import { createLuaExpander } from '../../.tools/server-code.mjs';

const expand = createLuaExpander() as (text: string) => string;

/** Returns an expression as the scripts have it that the server gets: `isIn(record, State.started)` is `byte(record, 1) == 114`. */
export function luaText(expression: string): string {
  return expand(`return ${expression}`).slice('return '.length);
}
