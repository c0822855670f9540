/** Platform adapter: statements of `@effect/sql` for a process that traces nothing. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlConnection from "@effect/sql/SqlConnection"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

const isAcquirer = (value: unknown): value is SqlConnection.Connection.Acquirer => Effect.isEffect(value)

const isStatement = (value: unknown): value is Statement.Statement<unknown> =>
  Statement.isFragment(value) && Predicate.hasProperty(value, "compile")

/**
 * The same client, whose statements go to their connection at once. The library gives each a span and a scope, which together cost a request more than
 * the decoding of its rows; without a tracer nobody sees the one, and no connection needs the other, since those of statements come from the pool and go
 * back to it by themselves, or belong to a transaction.
 */
export const untraced = <Client extends SqlClient.SqlClient>(client: Client): Client => {
  const acquirer: unknown = Reflect.get(client`SELECT`, "acquirer")
  return new Proxy(client, {
    apply: (make, self, args: ReadonlyArray<unknown>) => {
      const made: unknown = Reflect.apply(make, self, args)
      if (!isStatement(made) || !isAcquirer(acquirer)) return made
      const commit = () => {
        const [text, values] = made.compile()
        return Effect.flatMap(acquirer, (connection) => connection.execute(text, values, undefined))
      }
      return Object.assign(made, { commit })
    }
  })
}
