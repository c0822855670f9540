import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { NotFound } from "../../foundation/schema/DomainError.ts"
import type { AccountId } from "./Domain.ts"

interface Thing {
  readonly id: string
}

/** A look-up by account and id, which finds a thing only for its owner. */
type Find<A extends Thing> = (of: {
  readonly account: AccountId
  readonly id: A["id"]
}) => Effect.Effect<Option.Option<A>>

/**
 * A thing with the proof that the account owns it. Only a look-up by account and id creates the proof, and statements over parts of the thing require it, so a
 * use case without the ownership check does not compile.
 */
export class Owned<out A extends Thing> {
  private constructor(
    readonly account: AccountId,
    readonly value: A
  ) {}

  get id(): A["id"] {
    return this.value.id
  }

  /** Fails alike for a missing thing and for another account's. */
  static by<A extends Thing>(find: Find<A>, name: string) {
    return (account: AccountId, id: A["id"]): Effect.Effect<Owned<A>, NotFound> =>
      Effect.flatMap(
        find({ account, id }),
        Option.match({
          onNone: () => NotFound.of(name),
          onSome: (value) => Effect.succeed(new Owned(account, value))
        })
      )
  }
}

const isOwned = (input: unknown): input is Owned<Thing> => input instanceof Owned

/** An owned thing as a parameter of a statement, which gets its id. */
export const OwnedId = <Id extends string>(id: Schema.Schema<Id, string>) =>
  Schema.transformOrFail(
    Schema.typeSchema(id),
    Schema.declare((input: unknown): input is Owned<{ readonly id: Id }> => isOwned(input)),
    {
      strict: true,
      decode: (text, _, ast) =>
        ParseResult.fail(new ParseResult.Forbidden(ast, text, "an id alone does not prove ownership")),
      encode: (owned) => ParseResult.succeed(owned.id)
    }
  )
