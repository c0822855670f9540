/** Platform adapter: a connection of node-postgres that prepares each statement once. */
import { Client, DatabaseError } from "pg"

/** Statements that one process names at most: what is built with ever new texts, such as inserts of many rows, goes unnamed beyond that. */
const namedAtMost = 1000

/** The name of each statement text; the same on all connections, so that a name never stands for two texts. */
const names = new Map<string, string>()
let made = 0

const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= namedAtMost) return known
  const name = `findable_${made++}`
  names.set(text, name)
  return name
}

/** A migration changed what a prepared statement answers (0A000): it has to be prepared anew. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.code === "0A000" &&
  error.message === "cached plan must not change result type"

type Callback = (error: unknown, result?: unknown) => void

const isStatement = (args: ReadonlyArray<unknown>): args is readonly [string, ReadonlyArray<unknown>, Callback] => {
  const [text, values, callback] = args
  // Without parameters several statements may stand in one text, which cannot be prepared.
  return typeof text === "string" && Array.isArray(values) && values.length > 0 && typeof callback === "function"
}

/**
 * Names every statement that has parameters, so that the server parses and plans it once a connection. After a migration of another node the
 * statement is sent again without a name, unless it stands in a transaction, which has failed then and is begun anew by `Query.transaction`.
 */
export class PreparedClient extends Client {
  override readonly query: Client["query"] = new Proxy(super.query, {
    apply: (query, self, args: ReadonlyArray<unknown>) => {
      if (!isStatement(args)) return Reflect.apply(query, self, args)
      const [text, values, callback] = args
      const name = nameOf(text)
      if (name === undefined) return Reflect.apply(query, self, args)
      const answered: Callback = (error, result) => {
        if (!isStalePlan(error)) return callback(error, result)
        names.delete(text)
        return this.getTransactionStatus() === "I" ? Reflect.apply(query, self, args) : callback(error)
      }
      return Reflect.apply(query, self, [{ name, text, values }, answered])
    }
  })
}
