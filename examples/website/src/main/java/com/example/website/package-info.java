/** An operator for Websites: a page in, a Deployment that serves it out. */
@NullMarked
package com.example.website;

import org.jspecify.annotations.NullMarked;
