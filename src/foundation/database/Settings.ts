import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { between } from "../schema/Setting.ts"

const isAddress = (text: string) => /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)

/** The URL of a database server (PostgreSQL 15 or newer). Without `DATABASE_URL` the embedded one starts. */
export const DatabaseUrl = Config.redacted("DATABASE_URL").pipe(
  Config.mapOrFail((url) =>
    isAddress(Redacted.value(url))
      ? Either.right(url)
      : Either.left(
          ConfigError.InvalidData(
            ["DATABASE_URL"],
            "must be a URL such as postgresql://user:password@host:5432/database"
          )
        )
  ),
  Config.option,
  Config.withDescription("URL of a PostgreSQL database, version 15 or later. Default: an embedded PostgreSQL")
)

/** PostgreSQL reserves `pg_…` and `information_schema`, and cuts names after 63 bytes. */
const isSchemaName = (name: string) => /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/.test(name)

/** The schema of this installation's tables and functions; a missing schema is created. */
export const DatabaseSchema = Config.string("FINDABLE_DATABASE_SCHEMA").pipe(
  Config.validate({
    message:
      "must be at most 63 lower-case letters, digits and underscores, not start with a digit or pg_, and not be information_schema",
    validation: isSchemaName
  }),
  Config.withDefault("public"),
  Config.withDescription("Database schema for the tables of Findable. Findable creates it if it does not exist")
)

/** Directory of the embedded database and of the key file, relative to the working directory. */
export const DataDirectory = Config.nonEmptyString("FINDABLE_DATA_DIR").pipe(
  Config.withDefault(".findable"),
  Config.withDescription("Directory of the embedded database and the key file")
)

/** The most database connections of this process. */
export const PoolSize = Config.integer("FINDABLE_DATABASE_POOL").pipe(
  between(1, 1000),
  Config.withDefault(10),
  Config.withDescription("Most database connections per process")
)

/** Whether statements are prepared. Turn it off for poolers that give a connection to another client between statements without tracking prepared ones. */
export const Prepared = Config.boolean("FINDABLE_PREPARED_STATEMENTS").pipe(
  Config.withDefault(true),
  Config.withDescription(
    "`false` for connection poolers without support for prepared statements (PgBouncer before 1.21)"
  )
)
