import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Cipher } from "../../../foundation/secrets/Cipher.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import * as Property from "../Property.ts"
import { SitesRepo } from "../SitesRepo.ts"
import * as Credentials from "../searchconsole/Credentials.ts"
import { SourcesRepo } from "./SourcesRepo.ts"
import { purpose } from "./Sync.ts"

/** The connections of sites to Search Console. */
export class Connections extends Effect.Service<Connections>()("rankings/sync/Connections", {
  dependencies: [SitesRepo.Default, SourcesRepo.Default],
  effect: Effect.gen(function* () {
    const cipher = yield* Cipher
    const sites = yield* SitesRepo
    const sources = yield* SourcesRepo

    /** Stores the credentials, encrypted, and has the site synchronised from now on. Without a property it is that of the project's address. */
    const connect = Traced.fn("Connections.connect")(function* (
      id: ProjectId,
      credentials: Redacted.Redacted,
      named: Option.Option<string>
    ) {
      const site = yield* Effect.flatten(sites.find({ site: id })).pipe(
        Effect.mapError(() => new Refused({ message: `There is no project ${id}` }))
      )
      const property = Option.getOrElse(named, () => site.url)
      const parsed = Property.covering(property, site.host)
      if (Either.isLeft(parsed)) return yield* new Refused({ message: parsed.left })
      const valid = Credentials.parse(Redacted.value(credentials))
      if (Either.isLeft(valid)) return yield* new Refused({ message: `The credentials file is ${valid.left}` })
      return yield* sources.connect({ credentials: yield* cipher.seal(purpose, id, credentials), property, site: id })
    })

    /** Sets how often the site is synchronised by itself; null: never. */
    const schedule = Traced.fn("Connections.schedule")(function* (site: ProjectId, everyHours: number | null) {
      return yield* Effect.flatten(sources.schedule({ everyHours, site })).pipe(
        Effect.mapError(() => new Refused({ message: `Project ${site} is not connected to Search Console` }))
      )
    })

    return { connect, schedule }
  })
}) {}
