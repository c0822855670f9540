/** Platform adapter: a pool of node-postgres that makes do with fewer connections than it may have. */
import { DatabaseError, Pool, type PoolClient } from "pg"

/** The server gives this role no further connection: all of them together, the role's own limit, or the database's (too_many_connections). */
const isRefused = (error: unknown) => error instanceof DatabaseError && error.code === "53300"

/** After so many milliseconds more connections are asked for again. */
const frugal = 10_000

type Callback = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void

const isCallback = (value: unknown): value is Callback => typeof value === "function"

/**
 * A pool that waits for a connection of its own while the server refuses further ones. Node-postgres would fail the statement, though a connection
 * may be free in a moment.
 */
export class FrugalPool extends Pool {
  private readonly most = this.options.max
  private frugalUntil = 0

  /** Asks for no more connections than there are, for a while. */
  private shrink() {
    this.options.max = Math.max(1, this.totalCount)
    this.frugalUntil = performance.now() + frugal
  }

  override readonly connect: Pool["connect"] = new Proxy(super.connect, {
    apply: (connect, self, args: ReadonlyArray<unknown>) => {
      const [callback] = args
      if (!isCallback(callback)) return Reflect.apply(connect, self, args)
      if (performance.now() >= this.frugalUntil) this.options.max = this.most
      const answered: Callback = (error, client, release) => {
        if (!isRefused(error) || this.totalCount === 0) return callback(error, client, release)
        this.shrink()
        return Reflect.apply(connect, self, [answered])
      }
      return Reflect.apply(connect, self, [answered])
    }
  })
}
