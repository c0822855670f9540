/** Work done in steps, each worth this many characters of a page; whoever runs it may do something else between them. */
export type Steps<A> = Generator<number, A>

/** Does all of the work at once. */
export const finish = <A>(work: Steps<A>): A => {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
