// Scrolling one box moves the other to the same share of its height, while wanted() says so.
export function scrollTogether(a, b, wanted) {
  let driven = null;
  const follow = (leader, follower) => {
    leader.addEventListener("scroll", () => {
      if (driven === leader) driven = null;
      else if (wanted() && move(leader, follower)) driven = follower;
    });
  };
  follow(a, b);
  follow(b, a);
}

function move(leader, follower) {
  const before = follower.scrollTop;
  follower.scrollTop = (leader.scrollTop / (room(leader) || 1)) * room(follower);
  return follower.scrollTop !== before;
}

const room = (box) => box.scrollHeight - box.clientHeight;
