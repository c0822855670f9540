import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Outbound, problemOf } from "../../../../foundation/outbound/Outbound.ts"
import { Invalid, NotFound } from "../../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../../foundation/schema/Traced.ts"
import { Cipher } from "../../../../foundation/secrets/Cipher.ts"
import * as InstallationKey from "../../../../foundation/secrets/InstallationKey.ts"
import type { AccountId } from "../../../accounts/Domain.ts"
import type { ProjectId } from "../../../projects/Domain.ts"
import { Projects } from "../../../projects/Projects.ts"
import type { PutWordPress } from "./Api.ts"
import { ConnectorsRepo, type Kind } from "./ConnectorsRepo.ts"
import * as Credentials from "./Credentials.ts"

/** The connectors of projects, as their owners see them. */
export class Connectors extends Effect.Service<Connectors>()("interventions/connectors/Connectors", {
  dependencies: [ConnectorsRepo.Default, InstallationKey.layer, Projects.Default],
  effect: Effect.gen(function* () {
    const cipher = yield* Cipher
    const outbound = yield* Outbound
    const projects = yield* Projects
    const repo = yield* ConnectorsRepo

    const get = (kind: Kind) =>
      Traced.fn("Connectors.get")(function* (account: AccountId, id: ProjectId) {
        yield* projects.own(account, id)
        return { configured: Option.isSome(yield* repo[kind].find(id)) }
      })

    const put = Effect.fnUntraced(function* (
      account: AccountId,
      id: ProjectId,
      kind: Kind,
      credentials: Redacted.Redacted
    ) {
      const project = yield* projects.own(account, id)
      yield* repo[kind].put({ credentials: yield* cipher.seal(Credentials.purposes[kind], id, credentials), project })
      return { configured: true }
    })

    const putGitHub = (account: AccountId, id: ProjectId, token: Redacted.Redacted) => put(account, id, "github", token)

    /** Refuses an address whose host is not public now, or does not resolve; every request checks it again. */
    const putWordPress = Traced.fn("Connectors.putWordPress")(function* (
      account: AccountId,
      id: ProjectId,
      { application_password, url, username }: PutWordPress
    ) {
      yield* projects.own(account, id)
      // The handler is uninterruptible, where the look-up's own time-out could not end it.
      yield* Effect.mapError(Effect.interruptible(outbound.vet(new URL(url))), (error) =>
        Invalid.of("url", problemOf(error))
      )
      const password = Redacted.value(application_password)
      return yield* put(account, id, "wordpress", Credentials.ofWordPress({ password, url, username }))
    })

    const remove = (kind: Kind) =>
      Traced.fn("Connectors.remove")(function* (account: AccountId, id: ProjectId) {
        const project = yield* projects.own(account, id)
        yield* Effect.mapError(Effect.flatten(repo[kind].remove(project)), () => NotFound.of("connector"))
      })

    return { get, putGitHub, putWordPress, remove }
  })
}) {}
