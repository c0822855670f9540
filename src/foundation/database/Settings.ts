import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { between } from "../schema/Setting.ts"

const isAddress = (text: string) => /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)

/** Where the database is: `DATABASE_URL` names a server (PostgreSQL 15 or newer); without it the embedded one is started. */
export const DatabaseUrl = Config.redacted("DATABASE_URL").pipe(
  Config.mapOrFail((url) =>
    isAddress(Redacted.value(url))
      ? Either.right(url)
      : Either.left(
          ConfigError.InvalidData(
            ["DATABASE_URL"],
            "must be an address such as postgresql://user:password@host:5432/database"
          )
        )
  ),
  Config.option,
  Config.withDescription("PostgreSQL 15 or newer to use instead of the embedded one")
)

/** Directory of the embedded database and of the key file, relative to the working directory. */
export const DataDirectory = Config.nonEmptyString("FINDABLE_DATA_DIR").pipe(
  Config.withDefault(".findable"),
  Config.withDescription("directory of the embedded database and of the key file")
)

/** The most database connections of this process. */
export const PoolSize = Config.integer("FINDABLE_DATABASE_POOL").pipe(
  between(1, 1000),
  Config.withDefault(10),
  Config.withDescription("database connections of this process at most")
)

/** Whether statements are prepared: off for poolers that hand a connection to another client between statements and do not track prepared ones. */
export const Prepared = Config.boolean("FINDABLE_PREPARED_STATEMENTS").pipe(
  Config.withDefault(true),
  Config.withDescription(
    "`false` for connection poolers that cannot follow prepared statements (PgBouncer before 1.21)"
  )
)
