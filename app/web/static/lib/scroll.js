// @ts-check

/**
 * Scrolling one box moves the other to the same share of its height, while they are tied.
 * @param {Element} a
 * @param {Element} b
 * @param {() => boolean} areTied
 */
export function scrollTogether(a, b, areTied) {
  /** @type {Element | null} */
  let driven = null;
  const tie = (/** @type {Element} */ leader, /** @type {Element} */ follower) => {
    leader.addEventListener("scroll", () => {
      if (driven === leader) driven = null;
      else if (areTied() && move(leader, follower)) driven = follower;
    });
  };
  tie(a, b);
  tie(b, a);
}

/**
 * Whether the follower had to move.
 * @param {Element} leader
 * @param {Element} follower
 */
function move(leader, follower) {
  const before = follower.scrollTop;
  follower.scrollTop = (leader.scrollTop / (room(leader) || 1)) * room(follower);
  return follower.scrollTop !== before;
}

/** @param {Element} box */
const room = (box) => box.scrollHeight - box.clientHeight;
