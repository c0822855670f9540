import * as Effect from "effect/Effect"
import type { Claim } from "../QueueRepo.ts"
import { branchOf, type GitHubState, revertBranchOf } from "../State.ts"
import * as Answers from "./Answers.ts"
import { failed, unread } from "./Failure.ts"
import type { Once } from "./Once.ts"
import type { Repository } from "./Repository.ts"

/** Characters of a title. */
const longestTitle = 200

const titleOf = (summary: string): string =>
  (summary.split(/[\r\n\u2028\u2029]/, 1)[0] ?? "").slice(0, longestTitle).toWellFormed()

const footer = (id: string) => `\n\n---\nProposed by Findable, intervention ${id}.`

const bodyOf = ({ finding, id, summary, url }: Claim): string => {
  const repairs = finding === null ? `Page: ${url}` : `Repairs \`${finding.rule}\` on ${finding.url}`
  return `${summary}\n\n${repairs}${footer(id)}`
}

/** The blobs of a change on a branch or at a commit. */
const blobsAt = ({ changes }: GitHubState, ref: string, repository: Repository) =>
  Effect.forEach(changes, ({ path }) =>
    Effect.flatMap(repository.file(path, ref), (file) =>
      file === null ? failed("missing", `${path} is not on the branch`) : Effect.succeed({ path, sha: file.sha })
    )
  )

/** Opens the pull request of a change: a branch at the commit at which its files were as expected, the files, the request. */
export const open = Effect.fnUntraced(function* (claim: Claim, state: GitHubState, repository: Repository, once: Once) {
  const branch = branchOf(claim.id)
  const title = titleOf(claim.summary)
  const request = repository.open(branch, state.base, title, bodyOf(claim))
  // A worker may have died after it, and somebody have merged it since and removed the branch.
  const earlier = claim.turns > 1 ? yield* Effect.mapError(request.find, unread) : null
  if (earlier !== null) {
    const written = yield* blobsAt(state, earlier.head?.sha ?? branch, repository)
    return { pull: Answers.pullOf(earlier), written }
  }
  yield* once(repository.branch(branch, state.base_sha))
  const written = yield* Effect.forEach(state.changes, (change) =>
    Effect.map(once(repository.write(branch, change, title)), (sha) => ({ path: change.path, sha }))
  )
  return { pull: Answers.pullOf(yield* once(request)), written }
})

/** Opens the pull request that puts the files back as they were before a change, on a branch at a commit at which they are as the change made them. */
export const revert = Effect.fnUntraced(function* (
  claim: Claim,
  state: GitHubState,
  { base_sha, number }: NonNullable<GitHubState["revert"]>,
  repository: Repository,
  once: Once
) {
  const branch = revertBranchOf(claim.id, number)
  const title = `Revert "${titleOf(claim.summary)}"`
  const why = claim.reason === null ? "" : `\n\n${claim.reason}`
  const body = `Takes back: ${claim.summary}${why}${footer(claim.id)}`
  const request = repository.open(branch, state.base, title, body)
  const earlier = claim.turns > 1 ? yield* Effect.mapError(request.find, unread) : null
  if (earlier !== null) return Answers.pullOf(earlier)
  const ours = new Map(state.written.map(({ path, sha }) => [path, sha]))
  yield* once(repository.branch(branch, base_sha))
  yield* Effect.forEach(
    state.changes,
    Effect.fnUntraced(function* ({ expected_sha, path }) {
      const sha = ours.get(path) ?? ""
      if (expected_sha === null) return yield* once(repository.remove(branch, path, sha, title))
      const before = yield* repository.file(path, state.base_sha)
      const content = before === null ? undefined : Answers.base64Of(before)
      if (content === undefined) return yield* failed("missing", `${path} as it was before the change is not kept`)
      return yield* once(repository.write(branch, { content, expected_sha: sha, path }, title, true))
    }),
    { discard: true }
  )
  return Answers.pullOf(yield* once(request))
})
