/**
 * What `await using` needs, where the types of a program know `Symbol.asyncDispose`; nothing where they do not, as with a `lib` of
 * ES2022 alone.
 */
export type AsyncDispose = {
  readonly [Key in keyof SymbolConstructor as Key extends 'asyncDispose'
    ? Extract<SymbolConstructor[Key], symbol>
    : never]: () => Promise<void>;
};

/**
 * Returns the method by which `await using` ends an object: it calls the method of that name, also where a copy of the object has
 * another one. Empty on a runtime without `Symbol.asyncDispose`.
 */
export function disposedBy<Method extends string>(method: Method): AsyncDispose {
  const key: unknown = Reflect.get(Symbol, 'asyncDispose');
  const end = async function (this: Readonly<Record<Method, () => unknown>>): Promise<void> {
    await this[method]();
  };
  // Whether a program's types know the symbol is not seen here.
  return (typeof key === 'symbol' ? { [key]: end } : {}) as AsyncDispose;
}
