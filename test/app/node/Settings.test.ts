import { describe, expect } from "bun:test"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Settings from "../../../src/app/node/Settings.ts"
import { it } from "../../harness.ts"

const check = (environment: Record<string, string>) =>
  Settings.check.pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))),
    Effect.match({ onFailure: ({ problems }) => problems, onSuccess: () => [] })
  )

const wrong = {
  DATABASE_URL: ["", "mysql://x/y", "localhost"],
  FINDABLE_ACCESS_LOG: ["perhaps"],
  FINDABLE_ALLOW_PRIVATE_NETWORKS: ["everything", "127.0.0.0/99"],
  FINDABLE_ANTHROPIC_URL: ["nowhere", "ftp://x/"],
  FINDABLE_AUDIT_RETENTION_DAYS: ["0", "-1", "many"],
  FINDABLE_AUDIT_TIMEOUT: ["soon", "0 seconds", "-5 seconds"],
  FINDABLE_BACKLINK_LOSS_AFTER: ["soon"],
  FINDABLE_BACKLINK_PAUSE: ["later"],
  FINDABLE_CHILD_NICENESS: ["-1", "20", "low"],
  FINDABLE_CORS_ORIGINS: ["*", "app.example.com", "https://a.example/", "https://a.example,null", "ftp://a.example"],
  FINDABLE_CRAWLER_URL: ["bot", "ftp://x/", "https://user:word@x/"],
  FINDABLE_DATABASE_POOL: ["0", "-1", "many", "1.5"],
  FINDABLE_DATABASE_SCHEMA: ["", "Findable", "1st", "a-b", 'a"b', "pg_findable", "information_schema", "s".repeat(64)],
  FINDABLE_DELIVERIES_AT_ONCE: ["0", "-1", "abc"],
  FINDABLE_GEO_DAILY_USD: ["0", "-1", "Infinity", "much"],
  FINDABLE_GEO_PRICES: ["cheap", "[]", '{"m":{"input":1}}', '{"m":{"input":1,"output":1,"search":0,"call":0}}'],
  FINDABLE_GEO_RETENTION_DAYS: ["0", "-1", "36501"],
  FINDABLE_GITHUB_POLL: ["soon"],
  FINDABLE_GITHUB_URL: ["github", "ftp://github.example"],
  FINDABLE_GOOGLE_TOKEN_URL: ["nowhere"],
  FINDABLE_IMPORT_MAX_BYTES: ["0", "-1", "much"],
  FINDABLE_LOG_FORMAT: ["xml"],
  FINDABLE_LOG_LEVEL: ["loud"],
  FINDABLE_MASTER_KEY: ["", "short"],
  FINDABLE_OLD_MASTER_KEY: ["short"],
  FINDABLE_OPENAI_URL: ["nowhere", "ftp://x/"],
  FINDABLE_OTLP_URL: ["collector:4318", "nothing"],
  FINDABLE_PERPLEXITY_URL: ["nowhere", "ftp://x/"],
  FINDABLE_PORT: ["-1", "65536", "http"],
  FINDABLE_PREPARED_STATEMENTS: ["perhaps"],
  FINDABLE_PSI_URL: ["ftp://x/"],
  FINDABLE_PUBLIC_URL: ["nowhere", "ftp://x/"],
  FINDABLE_RANKING_RETENTION_MONTHS: ["0", "-1", "many"],
  FINDABLE_RANKING_WINDOW_DAYS: ["0", "91", "week"],
  FINDABLE_READ_TIMEOUT: ["0 seconds", "later"],
  FINDABLE_RENDER: ["always", "true", ""],
  FINDABLE_REUSE_PORT: ["perhaps"],
  FINDABLE_ROLE: ["server"],
  FINDABLE_RUN_RETENTION_DAYS: ["0", "-1", "36501"],
  FINDABLE_RUNS_AT_ONCE: ["0", "-3", "abc"],
  FINDABLE_SEARCH_CONSOLE_RETRY: ["0 seconds", "later"],
  FINDABLE_SEARCH_CONSOLE_URL: ["file:///etc/passwd"],
  FINDABLE_TRACE_RATIO: ["-0.1", "1.1", "all"],
  FINDABLE_TRUSTED_PROXIES: ["everyone"],
  FINDABLE_UPLOAD_RETENTION_DAYS: ["0", "-1", "soon"],
  FINDABLE_URL: ["nowhere", "ftp://x/"],
  FINDABLE_WEBHOOK_RETENTION_DAYS: ["0", "-1", "abc"],
  FINDABLE_XAI_URL: ["nowhere", "ftp://x/"]
}

/** Settings that accept any text: paths, foreign keys and names of models. */
const free = [
  "CHROME_PATH",
  ...["ANTHROPIC", "OPENAI", "PERPLEXITY", "XAI"].flatMap((engine) => [
    `FINDABLE_${engine}_KEY`,
    `FINDABLE_${engine}_MODEL`
  ]),
  "FINDABLE_API_KEY",
  "FINDABLE_DATA_DIR",
  "FINDABLE_FIRST_KEY_FILE",
  "FINDABLE_HOST",
  "FINDABLE_PSI_KEY"
]

describe("settings", () => {
  it("are refused by name when they are malformed, or zero or negative where that makes no sense", () =>
    Effect.forEach(
      Object.entries(wrong).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
      ([name, value]) =>
        Effect.map(check({ [name]: value }), (problems) => {
          expect({ name, problems: problems.map((problem) => problem.split(":")[0]), value }).toEqual({
            name,
            problems: [name],
            value
          })
        })
    ).pipe(Effect.asVoid))

  it("all have a wrong value in this test or are free text", () =>
    Effect.map(Settings.names, (names) => expect([...Object.keys(wrong), ...free].sort()).toEqual([...names])))

  it("have valid defaults", () => Effect.map(check({}), (problems) => expect(problems).toEqual([])))

  it("are all checked before one list of problems is printed", () =>
    Effect.map(check({ FINDABLE_AUDIT_TIMEOUT: "soon", FINDABLE_PORT: "x", FINDABLE_RUNS_AT_ONCE: "0" }), (problems) =>
      expect(problems).toEqual([
        'FINDABLE_AUDIT_TIMEOUT: Expected a duration but received "soon"',
        'FINDABLE_PORT: Expected an integer value but received "x"',
        "FINDABLE_RUNS_AT_ONCE: must be from 1 to 100"
      ])
    ))

  it("accept a log level in upper or lower case, and list all levels when it is unknown", function* () {
    expect(yield* check({ FINDABLE_LOG_LEVEL: "WARN" })).toEqual([])
    expect(yield* check({ FINDABLE_LOG_LEVEL: "loud" })).toEqual([
      "FINDABLE_LOG_LEVEL: must be one of all, trace, debug, info, warn, error, fatal, off"
    ])
  })

  it("with unknown names are reported with the most similar name, except variables of other programs", () =>
    Effect.map(
      Settings.unknownNames([
        "FINDABLE_POTR",
        "FINDABLE_PORT",
        "HOME",
        "FINDABLE_TEST_DATABASE_URL",
        "FINDABLE_QUIET_HOURS"
      ]),
      (sentences) =>
        expect(sentences).toEqual([
          "Unknown setting FINDABLE_POTR. Did you mean FINDABLE_PORT?",
          "Unknown setting FINDABLE_QUIET_HOURS"
        ])
    ))
})
