import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CrawlResult } from "../../crawl/Crawl.ts"
import { ruleIds } from "../../crawl/rules/Catalogue.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { repeatedOption } from "../../foundation/terminal/Input.ts"
import { nearest } from "../../foundation/text/Words.ts"

const decode = Schema.decode(Schema.parseJson(CrawlResult))

/** The argument that names a report. */
export const reportFile = (name: string, about = "a report of crawl --format json") =>
  Args.file({ name }).pipe(Args.withDescription(about))

/** An earlier report, as `--format json` wrote it; `name` stands for it in errors. */
export const readReport = (name: string, file: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(
      fs.readFileString(file),
      () => new Refused({ message: `${name} ${file} cannot be read` })
    )
    return yield* Effect.mapError(
      decode(text),
      () => new Refused({ message: `${name} ${file} is not a report of crawl --format json` })
    )
  })

/** A report of a whole site: a verification saw only a part, which cannot be compared. */
export const readWhole = (name: string, file: string) =>
  Effect.filterOrFail(
    readReport(name, file),
    ({ verification }) => verification === undefined,
    () => new Refused({ message: `${name} ${file} is a verification, which saw only a part of the site` })
  )

/** The name of a rule of the catalogue. */
export const KnownRule = Schema.String.pipe(
  Schema.filter((text) => ruleIds.has(text), {
    message: ({ actual }) => {
      const near = nearest(String(actual), [...ruleIds])
      return `${String(actual)} is not a rule${near === undefined ? "" : `; did you mean ${near}?`}`
    }
  })
)

/** `--rule`, repeatable; `what` describes its use by the command. */
export const ruleOption = (what: string) =>
  repeatedOption("rule", KnownRule).pipe(Options.withDescription(`${what}; default: all that fail`))
