import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { described } from "../../../foundation/terminal/Help.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { Device, Kind, Opportunity } from "../opportunities/Domain.ts"
import { Opportunities } from "../opportunities/Opportunities.ts"
import { limit } from "./Limit.ts"
import { project, siteOf } from "./Project.ts"

const decode = Schema.decodeUnknown(Schema.parseJson(Opportunity))

/** `rankings opportunities`: what the search data say to do. */
export const opportunities = Command.make(
  "opportunities",
  {
    brand: Options.choice("brand", ["true", "false"]).pipe(
      Options.withDescription("queries that contain a brand term of the project, or the others"),
      Options.optional
    ),
    device: Options.choice("device", Device.literals).pipe(
      Options.withDescription("add up facts of this device alone"),
      Options.optional
    ),
    json,
    kind: Options.choice("kind", Kind.literals).pipe(Options.withDescription("what kind of opportunity")),
    limit,
    project
  },
  ({ brand, device, json, kind, limit, project }) =>
    Effect.gen(function* () {
      const { list } = yield* Opportunities
      const site = yield* siteOf(project)
      const filters = {
        kind,
        ...(Option.isSome(brand) ? { brand: brand.value } : {}),
        ...(Option.isSome(device) ? { device: device.value } : {})
      }
      const { beside, records } = yield* list(site.account, site.id, filters, { after: undefined, count: limit }).pipe(
        Effect.catchTags({
          ApiError: ({ message }) => new Refused({ message }),
          Invalid: ({ details }) =>
            new Refused({ message: details.map(({ message, path }) => `--${path} ${message}`).join("; ") })
        })
      )
      const [reason] = beside.not_assessed
      if (reason !== undefined)
        return yield* new Refused({
          message: `No list of ${kind}: the ${reason.needed_days} days that end at the newest one must all be known, and ${reason.reason === "missing_days" ? "some are missing" : "the oldest is younger"}`
        })
      const found = yield* Effect.forEach(records, (record) => Effect.orDie(decode(record.json)))
      yield* print(found, json)
    })
).pipe(
  Command.withDescription(
    described(
      "list what could be gained, by the newest 28 days of search data",
      "rankings opportunities --project $PROJECT --kind low_ctr"
    )
  )
)
