import * as Predicate from "effect/Predicate"

/** An object of a JSON document. */
export type Json = Record<string, unknown>

export const isJson = (value: unknown): value is Json => Predicate.isRecord(value)
