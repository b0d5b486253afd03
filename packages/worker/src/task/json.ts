/** A part of a type that JSON does not return as it was: no value is of this type, and its name says what to do. */
export interface NotJson<Cure extends string> {
  readonly '~notJson': Cure;
}

/** JSON has these, or leaves them out. */
type Primitive = string | number | boolean | null | undefined;

/**
 * `T`, but for the parts that JSON loses or changes (a `Date`, a `Map`, a `bigint`, a function), which are {@link NotJson}. A payload or result
 * of type `T` has to be a `JsonSafe<T>`; a function with a type parameter for one writes `<Payload extends JsonSafe<Payload>>`.
 */
export type JsonSafe<T> = Whole<T> | { [Key in keyof T]: JsonSafePart<T[Key]> };

/**
 * What needs no look at its keys: to JSON a branded string is a string, and a branded list a list, but to TypeScript their keys are all
 * methods of theirs. Not `string`, of which TypeScript would infer `'done'` for a result that is any text.
 */
type Whole<T> = unknown extends T
  ? // biome-ignore lint/complexity/noBannedTypes: together they are all that is unknown
    {} | null | undefined
  : // biome-ignore lint/complexity/noBannedTypes: a branded string is one
    String | Number | Boolean | readonly JsonSafePart<ItemOf<T>>[];

type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;

type JsonSafePart<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends { readonly toJSON: (...parameters: never) => unknown }
      ? NotJson<'it arrives as text: use text or milliseconds, or a schema that reads them'>
      : T extends bigint | symbol | ((...parameters: never) => unknown)
        ? NotJson<'JSON cannot hold it'>
        : T extends readonly (infer Item)[]
          ? readonly JsonSafePart<Item>[]
          : { [Key in keyof T]: JsonSafePart<T[Key]> };

/**
 * A payload of type `T` as a function gets it that reads it before the schema does. A `Date` in `T` is also its text here, and what is
 * `unknown` in it is `never`: the function may write the type that JSON has made of them.
 */
export type StoredPayload<T> = unknown extends T ? T : T & StoredPart<T>;

type StoredPart<T> = unknown extends T
  ? T & never
  : T extends Primitive
    ? T
    : T extends { readonly toJSON: (...parameters: never) => infer Text }
      ? Text
      : { [Key in keyof T]: StoredPart<T[Key]> };
