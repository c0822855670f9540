/** Platform adapter: the examples of the operations, from one file for each group. They lie beside the code, in the package too. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Examples } from "./Examples.ts"

const decode = Schema.decodeUnknown(Schema.parseJson(Examples))

const read = (group: string) =>
  Effect.flatMap(
    Effect.promise(() => Bun.file(new URL(`examples/${group}.json`, import.meta.url)).text()),
    decode
  )

/** The examples of all operations of these groups, by `operationId`. */
export const of = (groups: object): Effect.Effect<Examples> =>
  Effect.forEach(Object.keys(groups), read).pipe(
    Effect.map((files): Examples => Object.assign({}, ...files)),
    Effect.orDie
  )
