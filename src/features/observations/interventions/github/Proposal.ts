import * as Effect from "effect/Effect"
import type { Claim } from "../QueueRepo.ts"
import { branchOf, type GitHubState, revertBranchOf } from "../State.ts"
import * as Answers from "./Answers.ts"
import { failed } from "./Failure.ts"
import type { Repository } from "./Repository.ts"

/** Characters of a title. */
const longestTitle = 200

const titleOf = (summary: string): string => (summary.split("\n", 1)[0] ?? "").slice(0, longestTitle)

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

/**
 * Opens the pull request of a change: a branch at the commit at which its files were as expected, the files, the request. After the first turn one may be there
 * already, opened by a worker that died; then it is that one. What is there of branch and files is taken as it is.
 */
export const open = Effect.fnUntraced(function* (claim: Claim, state: GitHubState, repository: Repository) {
  const branch = branchOf(claim.id)
  const earlier = claim.turns > 1 ? yield* repository.pullOf(branch) : null
  if (earlier !== null) {
    const written = yield* blobsAt(state, earlier.head?.sha ?? branch, repository)
    return { pull: Answers.pullOf(earlier), written }
  }
  const title = titleOf(claim.summary)
  yield* repository.branch(branch, state.base_sha)
  const written = yield* Effect.forEach(state.changes, (change) =>
    Effect.map(repository.write(branch, change, title), (sha) => ({ path: change.path, sha }))
  )
  const pull = yield* repository.open(branch, state.base, title, bodyOf(claim))
  return { pull: Answers.pullOf(pull), written }
})

/** Opens the pull request that puts the files back as they were before a change, on a branch at a commit at which they are as the change made them. */
export const revert = Effect.fnUntraced(function* (
  claim: Claim,
  state: GitHubState,
  { base_sha, number }: NonNullable<GitHubState["revert"]>,
  repository: Repository
) {
  const branch = revertBranchOf(claim.id, number)
  const earlier = claim.turns > 1 ? yield* repository.pullOf(branch) : null
  if (earlier !== null) return Answers.pullOf(earlier)
  const title = `Revert "${titleOf(claim.summary)}"`
  const ours = new Map(state.written.map(({ path, sha }) => [path, sha]))
  yield* repository.branch(branch, base_sha)
  yield* Effect.forEach(
    state.changes,
    Effect.fnUntraced(function* ({ expected_sha, path }) {
      const sha = ours.get(path) ?? ""
      if (expected_sha === null) return yield* repository.remove(branch, path, sha, title)
      const before = yield* repository.file(path, state.base_sha)
      const content = before === null ? undefined : Answers.base64Of(before)
      if (content === undefined) return yield* failed("missing", `${path} as it was before the change is not kept`)
      yield* repository.write(branch, { content, expected_sha: sha, path }, title, true)
    })
  )
  const why = claim.reason === null ? "" : `\n\n${claim.reason}`
  const pull = yield* repository.open(
    branch,
    state.base,
    title,
    `Takes back: ${claim.summary}${why}${footer(claim.id)}`
  )
  return Answers.pullOf(pull)
})
